#include <torch/extension.h>

void op(const torch::Tensor& x, const torch::Tensor& lens_cpu, const torch::Tensor& meta, int64_t n) {
  TORCH_CHECK(meta.is_cpu(), "meta must be on the CPU");
  int a = lens_cpu.max().item<int>();
  int b = meta.item<int>();
  auto t = torch::zeros({n}, torch::kInt32);  // no device: on the CPU
  t[0].item<int>();
  auto h = x.to(torch::kCPU, /*non_blocking=*/true);
  auto y = x.to(torch::kFloat16);
  auto z = x.to(x.device());
  int s = x.size(0) + x.numel() + x.dim();
  float* p = x.data_ptr<float>();
  for (auto& kv : registry.items()) use(kv);
  json.item(3);
  auto opts = torch::TensorOptions().dtype(torch::kInt).device(torch::kCPU);
  auto c = torch::empty({2}, opts);
  c.item<int>();
  float v = t.data_ptr<float>()[0];
  auto part = x.index({torch::indexing::Slice(0, n > 3 ? 3 : n), "..."});
  auto gathered = x.index({z});
  y.index_put_({x > 0}, 1.0);
  CHECK_CPU(y);
  y.item<float>();
}
