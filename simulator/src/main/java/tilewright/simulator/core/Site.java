package tilewright.simulator.core;

/**
 * Where an instruction stands.
 *
 * @param line of the PTX text
 * @param text the instruction
 * @param source {@code File.java:12}, or the empty text
 */
public record Site(int line, String text, String source) {}
