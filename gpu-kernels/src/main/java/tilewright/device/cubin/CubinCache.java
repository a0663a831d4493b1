package tilewright.device.cubin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * Machine code by what it was compiled from, in files of SHA-256 and code. A cache may lose entries but never lies: an
 * entry whose sum is wrong is no entry, and a folder that cannot be written keeps nothing.
 */
public final class CubinCache {
  private static final int SUM_BYTES = 32;

  private final Path folder;

  public CubinCache(Path folder) {
    this.folder = folder;
  }

  public static CubinCache ofUser() {
    return new CubinCache(UserCache.folder());
  }

  /** By the XDG base directory specification, which has relative paths ignored. */
  static Path userFolder(Map<String, String> environment, Path home) {
    var configured = Path.of(environment.getOrDefault("XDG_CACHE_HOME", ""));
    return (configured.isAbsolute() ? configured : home.resolve(".cache")).resolve("tilewright");
  }

  /**
   * @param driverVersion as the driver encodes it: its compiler makes the code
   * @param capability compute capability times ten
   */
  public static String key(String ptx, int driverVersion, int capability, CompileOptions options) {
    var sum = sha256();
    sum.update(ByteBuffer.allocate(8).putInt(driverVersion).putInt(capability).array());
    // The default's key is the text alone; the text of other options has no place in PTX, which begins otherwise.
    if (!options.equals(CompileOptions.DEFAULT)) sum.update((options + "\0").getBytes(StandardCharsets.UTF_8));
    sum.update(ptx.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(sum.digest());
  }

  /**
   * The key of code that another compiler than the driver's makes.
   *
   * @param compiler its name and version
   * @param target such as {@code sm_90a}
   */
  public static String key(String ptx, String compiler, String target) {
    var sum = sha256();
    sum.update((compiler + "\0" + target + "\0" + ptx).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(sum.digest());
  }

  public Optional<byte[]> read(String key) {
    // Reading a pipe would wait for a writer.
    if (!Files.isRegularFile(file(key))) return Optional.empty();
    try {
      var entry = Files.readAllBytes(file(key));
      if (entry.length <= SUM_BYTES) return Optional.empty();
      var code = Arrays.copyOfRange(entry, SUM_BYTES, entry.length);
      boolean sound = Arrays.equals(sha256().digest(code), Arrays.copyOf(entry, SUM_BYTES));
      return sound ? Optional.of(code) : Optional.empty();
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /** Keeps the code of a key; where the folder cannot be written, it does not. */
  public void write(String key, byte[] code) {
    var entry = ByteBuffer.allocate(SUM_BYTES + code.length).put(sha256().digest(code)).put(code).array();
    try {
      AtomicFiles.write(file(key), entry);
    } catch (IOException _) {
      // Without the entry the next start compiles again; nothing is wrong.
    }
  }

  Path file(String key) {
    return folder.resolve(key + ".cubin");
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
