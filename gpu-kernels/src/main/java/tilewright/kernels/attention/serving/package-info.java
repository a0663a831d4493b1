/**
 * How a server's cache of keys and values lies in memory, and how its reading is divided among CTAs: lengths on the
 * device, pages, and splits of the keys.
 */
package tilewright.kernels.attention.serving;
