package tilewright.device;

/** How a launch relates to other work, besides its shape. */
public enum LaunchFeature {
  /** All blocks run at the same time, so that they can wait for each other; a larger grid is refused. */
  COOPERATIVE(2),
  /**
   * The kernel may begin before the stream's previous kernel has ended (programmatic dependent launch): before it
   * reads what that kernel writes, it has to execute {@code griddepcontrol.wait}.
   */
  PROGRAMMATIC(6);

  private final int attribute;

  LaunchFeature(int attribute) {
    this.attribute = attribute;
  }

  /** The {@code CUlaunchAttributeID}, whose value is 1. */
  int attribute() {
    return attribute;
  }
}
