void op(at::Tensor x, cudaStream_t stream, int n, void* host) {
  int* table;
  cudaMallocManaged(&table, n);                                   // want "unified memory"
  void* mapped;
  cudaHostGetDevicePointer(&mapped, host, 0);                     // possible "memory of the host"
  cudaMemPrefetchAsync(table, n, 0, stream);                      // possible "moves pages"
}
