/**
 * What the threads of a CTA or a cluster do together on these instructions: tiles that copies fill, rings of stages
 * between producers and consumers, and the order in which persistent CTAs visit tiles.
 */
package tilewright.async.collective;
