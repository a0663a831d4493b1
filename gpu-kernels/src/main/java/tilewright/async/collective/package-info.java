/**
 * Collectives of a CTA or a cluster on these instructions: tiles that copies fill, rings of stages between producers
 * and consumers, and warpgroups that alternate.
 */
package tilewright.async.collective;
