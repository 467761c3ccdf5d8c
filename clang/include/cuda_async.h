// Pipelines and barriers of the namespace `cuda`, and the copies that they wait for.
#pragma once
#include "babycuda.h"
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
template <size_t N> using aligned_size_t = size_t;
template <thread_scope S> struct pipeline {
  BC_D void producer_acquire();
  BC_D void producer_commit();
  BC_D void consumer_wait();
  BC_D void consumer_release();
};
BC_D pipeline<thread_scope_thread> make_pipeline();
template <size_t N> BC_D void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &);
template <thread_scope S> struct barrier {
  struct arrival_token {};
  BC_D arrival_token arrive();
  BC_D void wait(arrival_token &&) const;
  BC_D void arrive_and_wait();
};
template <thread_scope S> BC_D void init(barrier<S> *, ptrdiff_t);
template <thread_scope S> BC_D void memcpy_async(void *, const void *, size_t, pipeline<S> &);
template <thread_scope S> BC_D void memcpy_async(void *, const void *, size_t, barrier<S> &);
template <class G, thread_scope S>
BC_D void memcpy_async(const G &, void *, const void *, size_t, pipeline<S> &);
template <class G, thread_scope S>
BC_D void memcpy_async(const G &, void *, const void *, size_t, barrier<S> &);
}
