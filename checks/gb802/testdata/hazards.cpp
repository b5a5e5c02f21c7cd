#include <torch/extension.h>

torch::Tensor op(const torch::Tensor& x, const torch::Tensor& lens, torch::optional<torch::Tensor> bias) {
  int n = lens.max().item<int>();            // want "copies a value"
  auto total = lens.sum().item();            // want "copies a value"
  auto host = lens.cpu();                    // want "copies the tensor"
  auto h2 = lens.to(torch::kCPU);            // want "copies the tensor"
  auto h3 = lens.to(torch::kCPU, torch::kInt);  // want "copies the tensor"
  if (torch::equal(x, lens)) return x;       // want "reads the answer"
  if (at::allclose(x, lens)) return x;       // want "reads the answer"
  auto idx = x.nonzero();                    // want "how many"
  auto picked = at::masked_select(x, lens);  // want "how many"
  auto first = bias.value().item<float>();   // want "copies a value"
  auto d = torch::zeros({4}, x.options());
  float f = d.item<float>();                 // want "copies a value"
  float g = *x.data_ptr<float>();            // possible "on the host"
  float u = thing.item();                    // possible "may copy"
  auto rows = x.index({lens > 0});           // want "where the mask is true"
  d.index_put_({lens == n}, x);              // want "where the mask is true"
  return d;
}
