#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <thrust/device_ptr.h>
#include <thrust/sort.h>
#include <thrust/reduce.h>
#include <thrust/execution_policy.h>
#include <torch/all.h>
#include <torch/library.h>

__global__ void k(float* x, int n) {
  if (threadIdx.x < n && x[0] > 0) x[threadIdx.x] += 1;
}

static float* scratch = nullptr;

static int count_tokens(const at::Tensor& t) {
  return t.sum().item<int>();  // H
}

template <typename T>
void launch(T* p, int n, cudaStream_t s) {
  k<<<(n + 127) / 128, 128, 0, s>>>((float*)p, n);
}

void moe_forward(torch::Tensor& out, const torch::Tensor& x, const torch::Tensor& counts, int64_t experts, bool flag) {
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  int n = x.size(0);
  if (n == 0 || x.scalar_type() != at::kFloat || flag) return;
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x");
  int total = count_tokens(counts);
  auto c = counts.cpu();  // H
  auto c2 = counts.to(torch::kCPU);  // H
  if (counts.max().item().toInt() > 3) n = 3;  // H
  TORCH_CHECK((counts > 0).all().item<bool>(), "bad");  // H
  TORCH_CHECK(at::all(counts > 0).equal(counts), "bad");  // H
  auto nz = counts.nonzero();  // H
  auto sel = x.index({counts > 0});  // H
  auto ms = x.masked_select(x > 0);  // H
  auto tmp = torch::empty({n, 4}, x.options());
  auto z = torch::zeros_like(x);
  auto ht = torch::tensor({1, 2, 3}, x.options());  // H
  cudaMalloc(&scratch, 1024);  // H
  cudaFree(scratch);  // H
  cudaMemcpy(scratch, x.data_ptr(), 4, cudaMemcpyDeviceToHost);  // H
  int host[4];
  cudaMemcpyAsync(host, counts.data_ptr(), 16, cudaMemcpyDeviceToHost, stream);  // H
  cudaStreamSynchronize(stream);  // H
  cudaDeviceSynchronize();  // H
  cudaMemsetAsync(out.data_ptr(), 0, out.nbytes(), stream);
  cudaMemset(out.data_ptr(), 0, 4);  // H
  cudaMemcpyAsync(out.data_ptr(), x.data_ptr(), 16, cudaMemcpyDeviceToDevice, stream);
  k<<<1, 128>>>(x.data_ptr<float>(), n);  // H
  k<<<1, 128, 0, stream>>>(x.data_ptr<float>(), n);
  launch(x.data_ptr<float>(), n, stream);
  cudaEvent_t ev;
  cudaEventCreate(&ev);
  cudaEventRecord(ev, stream);
  cudaEventSynchronize(ev);  // H
  cudaEventQuery(ev);
  cudaStream_t s2;
  cudaStreamCreate(&s2);
  thrust::device_ptr<float> p(x.data_ptr<float>());
  thrust::sort(p, p + n);  // H
  float r = thrust::reduce(thrust::device, p, p + n);  // H
  thrust::sort(thrust::cuda::par.on(stream), p, p + n);  // H
  cudaLaunchHostFunc(stream, nullptr, nullptr);  // H
  cudaMallocHost((void**)&scratch, 4);  // H
  cudaHostRegister(host, 16, 0);  // H
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096);
  cudaGetLastError();
  at::cuda::getCurrentCUDAStream().synchronize();  // H
  at::cuda::device_synchronize();  // H
  c10::cuda::CUDACachingAllocator::emptyCache();  // H
  auto sp = x.split_with_sizes({1, 2});
  std::vector<int64_t> v = {1, 2};
  auto sizes = counts.cpu().accessor<int, 1>();  // H
  if (x.dim() == 2 && x.stride(0) == 4 && out.numel() > 3) n = 4;
  float h = *x.data_ptr<float>();
  cudaMallocAsync((void**)&scratch, 4, stream);
  cudaMallocManaged((void**)&scratch, 4);  // H
  static bool once = [] { cudaDeviceSynchronize(); return true; }();
  for (int e = 0; e < experts; e++) k<<<1, 32, 0, stream>>>(x.data_ptr<float>() + e, n);
}

TORCH_LIBRARY(moe, m) {
  m.def("moe_forward(Tensor! out, Tensor x, Tensor counts, int experts, bool flag) -> ()");
  m.impl("moe_forward", torch::kCUDA, &moe_forward);
}
