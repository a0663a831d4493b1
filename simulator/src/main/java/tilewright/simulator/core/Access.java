package tilewright.simulator.core;

/** The kinds of access to memory; generated code passes the constants. */
public final class Access {
  public static final int READ = 0;
  public static final int WRITE = 1;
  public static final int ATOMIC = 2;
  /** Checked for bounds and alignment only: the operation tells the sanitizer itself what it does. */
  public static final int PLACE = 3;

  private Access() {}
}
