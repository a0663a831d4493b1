/**
 * Single instructions of SM90 and later: mbarriers, bulk and tensor copies, stores to other CTAs of a cluster, and the
 * descriptors of swizzled shared memory that the tensor cores of both read.
 */
package tilewright.async.atom;
