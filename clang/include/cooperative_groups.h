// The classes of cooperative groups.
#pragma once
#include "babycuda.h"
namespace cooperative_groups {
struct thread_group {
  BC_D void sync() const;
  BC_D unsigned long long thread_rank() const;
  BC_D unsigned long long size() const;
  BC_D unsigned long long num_threads() const;
  BC_D bool is_valid() const;
};
struct thread_block {
  BC_D void sync() const;
  BC_D unsigned thread_rank() const;
  BC_D unsigned size() const;
  BC_D unsigned num_threads() const;
  BC_D dim3 group_index() const;
  BC_D dim3 thread_index() const;
  BC_D dim3 group_dim() const;
  BC_D dim3 dim_threads() const;
  BC_D operator thread_group() const;
};
struct grid_group {
  BC_D void sync() const;
  BC_D bool is_valid() const;
  BC_D unsigned long long thread_rank() const;
  BC_D unsigned long long size() const;
  BC_D unsigned long long num_threads() const;
  BC_D unsigned long long block_rank() const;
  BC_D unsigned long long num_blocks() const;
  BC_D dim3 group_dim() const;
  BC_D dim3 dim_blocks() const;
  BC_D dim3 block_index() const;
  BC_D operator thread_group() const;
};
template <unsigned N, class Parent = void> struct thread_block_tile {
  BC_D void sync() const;
  BC_D unsigned thread_rank() const;
  BC_D unsigned size() const;
  BC_D unsigned num_threads() const;
  BC_D unsigned meta_group_rank() const;
  BC_D unsigned meta_group_size() const;
  template <class T> BC_D T shfl(T, int) const;
  template <class T> BC_D T shfl_up(T, unsigned) const;
  template <class T> BC_D T shfl_down(T, unsigned) const;
  template <class T> BC_D T shfl_xor(T, unsigned) const;
  BC_D int any(int) const;
  BC_D int all(int) const;
  BC_D unsigned ballot(int) const;
  template <class T> BC_D unsigned match_any(T) const;
  BC_D operator thread_group() const;
  template <class P> BC_D operator thread_block_tile<N, P>() const;
};
struct coalesced_group {
  BC_D void sync() const;
  BC_D unsigned thread_rank() const;
  BC_D unsigned size() const;
  BC_D unsigned num_threads() const;
  template <class T> BC_D T shfl(T, int) const;
  template <class T> BC_D T shfl_up(T, unsigned) const;
  template <class T> BC_D T shfl_down(T, unsigned) const;
  BC_D unsigned meta_group_rank() const;
  BC_D unsigned meta_group_size() const;
  BC_D int any(int) const;
  BC_D int all(int) const;
  BC_D unsigned ballot(int) const;
  template <class T> BC_D unsigned match_any(T) const;
  BC_D operator thread_group() const;
};
template <unsigned N = 1024> struct block_tile_memory { unsigned char bc_scratch[1]; };
BC_D thread_block this_thread_block();
template <unsigned N> BC_D thread_block this_thread_block(const block_tile_memory<N> &);
BC_D grid_group this_grid();
BC_D coalesced_group coalesced_threads();
template <class P> BC_D coalesced_group binary_partition(const P &, bool);
template <class P, class L> BC_D coalesced_group labeled_partition(const P &, L);
template <unsigned N, class P> BC_D thread_block_tile<N> tiled_partition(const P &);
template <class P> BC_D thread_group tiled_partition(const P &, unsigned);
template <class G> BC_D void sync(const G &);
template <class G> BC_D decltype(G().thread_rank()) thread_rank(const G &);
template <class G> BC_D decltype(G().size()) group_size(const G &);
template <class G, class T, class S> BC_D void memcpy_async(const G &, T *, const T *, S);
template <class G, class T, class D, class S> BC_D void memcpy_async(const G &, T *, D, const T *, S);
template <class G> BC_D void wait(const G &);
template <unsigned N, class G> BC_D void wait_prior(const G &);
template <class T> struct plus { BC_D T operator()(T, T) const; };
template <class T> struct less { BC_D T operator()(T, T) const; };
template <class T> struct greater { BC_D T operator()(T, T) const; };
template <class T> struct bit_and { BC_D T operator()(T, T) const; };
template <class T> struct bit_or { BC_D T operator()(T, T) const; };
template <class T> struct bit_xor { BC_D T operator()(T, T) const; };
template <class G, class T, class F> BC_D T reduce(const G &, T, F);
template <class G, class T, class F> BC_D T inclusive_scan(const G &, T, F);
template <class G, class T> BC_D T inclusive_scan(const G &, T);
template <class G, class T, class F> BC_D T exclusive_scan(const G &, T, F);
template <class G, class T> BC_D T exclusive_scan(const G &, T);
}
