void op(at::Tensor x, cudaStream_t stream, size_t bytes) {
  float* ws;
  CUDA_CHECK(cudaMalloc(&ws, bytes));  // want "from the driver"
  k<<<1, 1, 0, stream>>>(ws);
  cudaFree(ws);  // want "back to the driver"
  int* h;
  cudaMallocHost((void**)&h, bytes);                        // want "page-locks"
  cudaHostRegister(h, bytes, cudaHostRegisterDefault);      // want "page-locks"
  hipHostMalloc(&h, bytes);                                 // want "page-locks"
  hipHostFree(h);                                           // want "back to the driver"
  CUmemGenericAllocationHandle handle;
  cuMemCreate(&handle, bytes, &prop, 0);                    // want "from the driver"
  auto p = torch::empty({4}, torch::TensorOptions().dtype(torch::kInt).pinned_memory(true));  // want "page-locked"
  c10::cuda::CUDACachingAllocator::emptyCache();            // want "back to the driver"
}
