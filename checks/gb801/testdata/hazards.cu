#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>

static void drain(cudaStream_t s) {
  C10_CUDA_CHECK(cudaStreamSynchronize(s));  // want "wait for the stream"
}

void op(at::Tensor x) {
  static bool once = [] { cudaDeviceSynchronize(); return true; }();  // want "on the first call"
  auto stream = at::cuda::getCurrentCUDAStream();
  scale<<<1, 32, 0, stream>>>(x.data_ptr<float>());
  stream.synchronize();  // want "makes the host wait"
  cudaEvent_t done;
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);  // want "for an event"
  drain(stream);
  if (cudaDeviceSynchronize() != cudaSuccess) {  // want "whole device"
    throw std::runtime_error("failed");
  }
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "op", ([&] {
    scale<scalar_t><<<1, 32, 0, stream>>>(x.data_ptr<scalar_t>());
    hipStreamSynchronize(stream);  // want "wait for the stream"
  }));
  c10::cuda::device_synchronize();  // want "whole device"
  this->comm->synchronize();  // possible "may make"
}

#define LAUNCH_AND_WAIT(k, s)  \
  do {                         \
    k<<<1, 1, 0, s>>>();       \
    cudaStreamSynchronize(s);  /* want "wait for the stream" */ \
  } while (0)

void macro_op(const at::Tensor& x, cudaStream_t s) { LAUNCH_AND_WAIT(noop, s); }

// Only what a hot function calls counts: nobody calls this one.
int unused(int n) {
  cudaDeviceSynchronize();
  return n;
}

void reviewed(at::Tensor x, cudaStream_t s) {
  cudaStreamSynchronize(s);  // gatebot: allow[GB801] runs once a day  // suppressed "wait"
  // gatebot: allow[GB801] handshake of the collective
  cudaStreamSynchronize(s);  // suppressed "wait"
}
