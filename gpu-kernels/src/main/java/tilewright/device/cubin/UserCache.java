package tilewright.device.cubin;

import java.nio.file.Path;

/** Where things are kept on this machine that can be made again. */
public final class UserCache {
  private UserCache() {}

  /** The user's folder, which need not exist: below {@code XDG_CACHE_HOME}, else below {@code ~/.cache}. */
  public static Path folder() {
    return CubinCache.userFolder(System.getenv(), Path.of(System.getProperty("user.home")));
  }
}
