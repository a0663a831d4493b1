package tilewright.cli.launch;

import java.time.Duration;
import tilewright.cli.io.Console;

/** Says what is under way once it takes longer than a moment. */
public final class LaunchProgress implements AutoCloseable {
  private static final Duration MOMENT = Duration.ofSeconds(2);

  private final Console console;
  private final int total;
  private final Thread ticker;
  private final long begin = System.nanoTime();
  private int number;
  private String launch = "";
  private boolean told;

  public LaunchProgress(Console console, int total) {
    this.console = console;
    this.total = total;
    ticker = Thread.ofVirtual().name("progress").start(this::tick);
  }

  public synchronized void begins(String name) {
    number++;
    launch = name;
    told = false;
  }

  /** Makes room for a result. */
  synchronized void pause() {
    told = true;
    launch = "";
    console.progressDone();
  }

  private void tick() {
    try {
      while (true) {
        Thread.sleep(MOMENT);
        tell();
      }
    } catch (InterruptedException _) {
      // The launches are done.
    }
  }

  /** On a terminal the line goes on counting; elsewhere a launch is told once. */
  private synchronized void tell() {
    boolean counts = console.terminal().err();
    if (told && !counts || launch.isEmpty()) return;
    told = true;
    var step = "%d/%d %s".formatted(number, total, launch);
    var since = Duration.ofNanos(System.nanoTime() - begin);
    if (!counts) console.progress(step);
    else if (total == 1) console.progress(step + ", %d s".formatted(since.toSeconds()));
    else console.progress((number - 1.0) / total, since, step);
  }

  @Override
  public void close() {
    ticker.interrupt();
    synchronized (this) {
      console.progressDone();
    }
  }
}
