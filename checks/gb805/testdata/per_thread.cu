#define CUDA_API_PER_THREAD_DEFAULT_STREAM
void op(at::Tensor x, int n) {
  scale<<<n, 128>>>(x.data_ptr<float>());  // the null stream is one of this thread
}
