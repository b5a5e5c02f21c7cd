class Workspace {
 public:
  explicit Workspace(size_t n) { cudaMalloc(&p, n); }
  ~Workspace() { cudaFree(p); }
  void* p = nullptr;
};

void op(at::Tensor x, cudaStream_t stream, size_t bytes) {
  static void* ws = nullptr;
  if (ws == nullptr) {
    cudaMalloc(&ws, bytes);
  }
  void* tmp;
  cudaMallocAsync(&tmp, bytes, stream);
  cudaFreeAsync(tmp, stream);
  auto t = at::empty({4}, x.options());
  free(malloc(4));
  cudaFree(0);
}

void create_buffers(at::Tensor x, void** p) { cudaMalloc(p, 1 << 20); }
void free_buffers(at::Tensor x, void* p) { cudaFree(p); }

void shuffle_exllama_weight(at::Tensor w) { cudaMalloc(&p, 4); }
void gptq_shuffle(at::Tensor w) { ext::shuffle_exllama_weight(w); }
std::tuple<int64_t, at::Tensor> allocate_shared_buffer(at::Tensor like) { cudaMalloc(&p, 4); }
