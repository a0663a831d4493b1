/**
 * Tuple morphisms, the categorical foundation of tractable layouts: which mode goes to which place of a factorised
 * codomain. Realisation as a layout is functorial, so operations here and on layouts agree (arXiv 2601.05972).
 */
package tilewright.layout.morphism;
