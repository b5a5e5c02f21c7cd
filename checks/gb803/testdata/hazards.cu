void op(torch::Tensor x, const int* offsets, int n) {
  cudaMemcpy(x.data_ptr(), offsets, n, cudaMemcpyHostToDevice);               // want "on the default stream"
  CUDA_CHECK(cudaMemcpyToSymbol(table, offsets, n));                          // want "on the default stream"
  CUDA_CHECK(cuMemcpyDtoH(offsets, (CUdeviceptr)x.data_ptr(), n));            // want "on the default stream"
  hipMemcpy(x.data_ptr(), offsets, n, hipMemcpyHostToDevice);                 // want "on the default stream"
}
