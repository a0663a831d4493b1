/**
 * The base that Hopper and Blackwell share: asynchronous copies that complete on barriers in shared memory, and what is
 * built on them. This package itself says which matrices such copies reach.
 */
package tilewright.async;
