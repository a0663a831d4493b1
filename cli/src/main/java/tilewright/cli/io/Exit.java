package tilewright.cli.io;

/** Exit codes of the process. */
public final class Exit {
  /** Done, and every check passed. */
  public static final int OK = 0;
  /** Done, and a check failed. */
  public static final int CHECK_FAILED = 1;
  /** The command line or an input file is wrong: nothing was done. */
  public static final int BAD_INPUT = 2;
  /** This machine lacks something, such as a GPU: nothing was done. */
  public static final int ENVIRONMENT = 3;

  /** Ended because nobody reads the results any more: 128 and SIGPIPE's number, as shells count it. */
  public static final int READER_GONE = 141;

  private Exit() {}
}
