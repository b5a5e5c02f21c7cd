struct Table {
  Table(int n) { cudaMallocManaged(&p, n); }
  int* p;
};
void op(at::Tensor x, cudaStream_t stream) { lookup<<<1, 1, 0, stream>>>(x.data_ptr<int>()); }
void load_table(at::Tensor x) { cudaMallocManaged(&p, 4); }
