#include <thrust/sort.h>

__global__ void kernel(int* x) { thrust::sort(thrust::seq, x, x + 4); }

void order(int* keys, int n, cudaStream_t stream, at::Tensor ws) {
  thrust::device_ptr<int> k(keys);
  auto policy = thrust::cuda::par_nosync(scratch).on(stream);
  thrust::sort(policy, k, k + n);
  thrust::host_vector<int> h(n);
  thrust::sort(h.begin(), h.end());
  std::vector<int> v(n);
  thrust::sort(thrust::host, v.begin(), v.end());
  auto it = thrust::make_counting_iterator(0);
  auto big = thrust::max(n, 4);
  std::sort(v.begin(), v.end());
  cub::DeviceScan::ExclusiveSum(ws.data_ptr(), bytes, keys, keys, n, stream);
}
