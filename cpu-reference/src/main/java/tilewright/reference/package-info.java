/**
 * Reference results, in FP64 and in a kernel's own order of operations; the rule that says how far a result may be from
 * them; and inputs to compare on.
 */
package tilewright.reference;
