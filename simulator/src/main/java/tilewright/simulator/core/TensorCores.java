package tilewright.simulator.core;
public final class TensorCores { private TensorCores() {} }
