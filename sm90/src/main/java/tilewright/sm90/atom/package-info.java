/**
 * One Hopper instruction each, with the layouts it demands: transaction barriers, copies by the async proxy, wgmma and
 * the descriptors of its operands, register budgets.
 */
package tilewright.sm90.atom;
