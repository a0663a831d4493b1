package tilewright.cli.io;

/** Exit codes of the process. */
public final class Exit {
  /** Done, and every check passed. */
  public static final int OK = 0;
  /** Done, and a check failed. */
  public static final int CHECK_FAILED = 1;
  /** Not done: the command line or an input file is wrong. */
  public static final int BAD_INPUT = 2;
  /** Not done: this machine lacks something, such as a GPU. */
  public static final int ENVIRONMENT = 3;

  /** Ended because nobody reads the results any more: 128 and SIGPIPE's number, as shells count it. */
  public static final int READER_GONE = 141;

  private Exit() {}
}
