/** The kernel that appends keys and values to a cache, turned by their positions and brought to the cache's type. */
package tilewright.kernels.attention.appending;
