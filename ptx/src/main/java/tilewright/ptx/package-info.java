/**
 * PTX as data: a typed model of modules, functions, instructions and operands, with a printer and a parser that are
 * inverse to each other, and the tables of what each target knows. A {@link tilewright.ptx.Launch} says how a kernel is
 * started; it is what the simulator and a GPU both take.
 */
package tilewright.ptx;
