struct Table {
  Table(const int* host, int n) { cudaMemcpy(dev, host, n, cudaMemcpyHostToDevice); }
  int* dev;
};

void op(torch::Tensor x, cudaStream_t stream, const int* offsets, int n) {
  cudaMemcpyAsync(x.data_ptr(), offsets, n, cudaMemcpyHostToDevice, stream);
  if (!table_ready) {
    cudaMemcpyToSymbol(table, offsets, n);
    table_ready = true;
  }
  memcpy(a, b, n);
}

void load_tables(torch::Tensor x, const int* h, int n) { cudaMemcpy(x.data_ptr(), h, n, cudaMemcpyHostToDevice); }
