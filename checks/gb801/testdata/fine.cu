#include <ATen/ATen.h>

struct Handle {
  ~Handle() { cudaStreamSynchronize(stream); }  // destructors do not run in a step
  Handle() { cudaDeviceSynchronize(); }         // constructors run at load time
  cudaStream_t stream;
};

void op(at::Tensor x, cudaStream_t stream) {
  scale<<<1, 32, 0, stream>>>(x.data_ptr<float>());
#ifdef DEBUG
  cudaStreamSynchronize(stream);  // suppressed "wait"
#endif
#ifndef NDEBUG
  cudaDeviceSynchronize();  // suppressed "wait"
#endif
  if (cudaPeekAtLastError() != cudaSuccess) {
    cudaDeviceSynchronize();  // the way to an error that ends the call
    std::abort();
  }
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(stream, &status);
  if (status == cudaStreamCaptureStatusNone) {
    cudaStreamSynchronize(stream);  // suppressed "wait"
  }
  if (verbose_) cudaStreamSynchronize(stream);  // suppressed "wait"
  cudaStreamWaitEvent(stream, ready, 0);
  try {
    run(x);
  } catch (const std::exception& e) {
    cudaDeviceSynchronize();
  }
}

void init_workspace(at::Tensor x, cudaStream_t s) { cudaStreamSynchronize(s); }

__global__ void kernel(float* x) { __syncthreads(); }

// cudaStreamSynchronize(stream) in a comment, and in text:
const char* help() { return "cudaStreamSynchronize(stream)"; }

struct GpuTimer {
  void stop(cudaStream_t s) { cudaStreamSynchronize(s); }
};
void lamportInitializeAll(at::Tensor x) { cudaDeviceSynchronize(); }
