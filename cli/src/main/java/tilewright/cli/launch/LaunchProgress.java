package tilewright.cli.launch;

import java.time.Duration;
import tilewright.cli.io.Console;

/** Says what is under way once it takes longer than a moment. */
public final class LaunchProgress implements AutoCloseable {
  private static final Duration MOMENT = Duration.ofSeconds(2);

  private final Console console;
  private final int total;
  private final Thread ticker;
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

  private synchronized void tell() {
    if (told || launch.isEmpty()) return;
    told = true;
    console.progress("%d/%d %s".formatted(number, total, launch));
  }

  @Override
  public void close() {
    ticker.interrupt();
    synchronized (this) {
      console.progressDone();
    }
  }
}
