#include <ATen/cuda/CUDAContext.h>

__global__ void child(float* x) {}
__global__ void parent(float* x) { child<<<1, 1>>>(x); }  // on the device: its own rules

void op(at::Tensor x, cudaStream_t given, int n) {
  auto stream = at::cuda::getCurrentCUDAStream();
  scale<<<n, 128, 0, stream>>>(x.data_ptr<float>());
  scale<<<n, 128, 0, given>>>(x.data_ptr<float>());
  scale<<<n, 128, 0, stream.stream()>>>(x.data_ptr<float>());
  scale<<<n, 128, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>());
  const cudaStream_t s = get_current_cuda_stream();
  scale<<<n, 128, 0, s>>>(x.data_ptr<float>());
  scale<<<n, 128, 0, params.stream>>>(x.data_ptr<float>());
  cudaMemsetAsync(x.data_ptr(), 0, n, stream);
  cudaMemcpyAsync(a, b, n, cudaMemcpyDeviceToDevice, s);
  cub::DeviceReduce::Sum(nullptr, bytes, in, out, n);
  cub::DeviceReduce::Sum(temp.data_ptr(), bytes, in, out, n, stream);
  cudaStream_t side;
  cudaStreamCreate(&side);
  cudaStreamWaitEvent(side, forked, 0);
  scale<<<n, 128, 0, side>>>(x.data_ptr<float>());
  int shifted = n << 3 >> 2;
}
