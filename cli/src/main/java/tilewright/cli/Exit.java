package tilewright.cli;

/** What the process tells its caller. */
final class Exit {
  /** Done, and every check passed. */
  static final int OK = 0;
  /** Done, and a check failed. */
  static final int CHECK_FAILED = 1;
  /** Not done: the command line or an input file is wrong. */
  static final int BAD_INPUT = 2;
  /** Not done: this machine lacks something, such as a GPU. */
  static final int ENVIRONMENT = 3;

  private Exit() {}
}
