package tilewright.simulator;

/**
 * A variable in a loaded program's global or constant memory.
 *
 * @param initial its first bytes; those behind are zeros
 */
public record GlobalVariable(String name, boolean constant, int bytes, byte[] initial) {}
