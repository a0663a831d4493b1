/**
 * Atoms: one PTX instruction each, with the layouts that say which thread holds which value. Architecture-independent
 * ones and those of SM80; later architectures add theirs in modules of their own.
 */
package tilewright.kernel.atom;
