#include <ATen/cuda/CUDAContext.h>

void op(at::Tensor x, int n) {
  scale<<<n, 128>>>(x.data_ptr<float>());                     // want "2 of 4"
  scale<float><<<n, 128, 1024>>>(x.data_ptr<float>());        // want "3 of 4"
  scale<<<n, 128, 0, 0>>>(x.data_ptr<float>());               // want "default stream"
  scale<<<n, 128, 0, nullptr>>>(x.data_ptr<float>());         // want "default stream"
  cudaStream_t s = 0;
  scale<<<n, 128, 0, s>>>(x.data_ptr<float>());               // want "default stream"
  auto d = at::cuda::getDefaultCUDAStream();
  scale<<<n, 128, 0, d>>>(x.data_ptr<float>());               // want "default stream"
  scale<<<n, 128, 0, d.stream()>>>(x.data_ptr<float>());      // want "default stream"
  scale<<<n, 128, 0, cudaStreamPerThread>>>(x.data_ptr<float>());  // want "default stream"
  cudaLaunchKernel((void*)scale, grid, block, args, 0, 0);    // want "default stream"
  cudaMemsetAsync(x.data_ptr(), 0, n);                        // want "names no stream"
  cudaMemcpyAsync(a, b, n, cudaMemcpyDeviceToDevice);         // want "names no stream"
  cudaMemset(x.data_ptr(), 0, n);                             // want "default stream"
  cub::DeviceReduce::Sum(temp.data_ptr(), bytes, in, out, n);  // want "names no stream"
  cublasHandle_t h;
  cublasCreate(&h);                                           // want "handle"
  (*kernel)<<<1, 2>>>(x);                                     // want "2 of 4"
}
