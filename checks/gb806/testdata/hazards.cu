#include <thrust/sort.h>

void order(int* keys, int* vals, int n, cudaStream_t stream) {
  thrust::device_ptr<int> k(keys);
  thrust::device_ptr<int> v(vals);
  thrust::sort_by_key(k, k + n, v);                                       // want "names no policy"
  thrust::sort(thrust::device, k, k + n);                                 // want "default stream"
  thrust::sort(thrust::cuda::par, k, k + n);                              // want "default stream"
  thrust::sort(thrust::cuda::par.on(stream), k, k + n);                   // want "allocates temporary"
  thrust::sort(thrust::cuda::par(alloc).on(stream), k, k + n);            // want "not par_nosync"
  auto policy = thrust::cuda::par_nosync(alloc).on(stream);
  int s = thrust::reduce(policy, k, k + n);                               // want "returns a value"
  thrust::sort(thrust::cuda::par_nosync.on(stream), k, k + n);            // want "temporary memory from the driver"
  thrust::device_vector<int> tmp(n);                                      // want "fills it"
  thrust::fill(tmp.begin(), tmp.end(), 0);                                // want "names no policy"
  void* d_temp = nullptr;
  size_t bytes = 0;
  cub::DeviceScan::ExclusiveSum(d_temp, bytes, keys, vals, n, stream);
  cudaMalloc(&d_temp, bytes);                                             // want "workspace of CUB"
  cub::DeviceScan::ExclusiveSum(d_temp, bytes, keys, vals, n, stream);
}
