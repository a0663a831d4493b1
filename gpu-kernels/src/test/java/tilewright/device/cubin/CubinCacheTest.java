package tilewright.device.cubin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CubinCacheTest {
  private static final byte[] CODE = {1, 2, 3, 4, 5};
  private static final String KEY = key("ptx", 13_000, 90);

  @TempDir Path folder;

  private static String key(String ptx, int driver, int capability) {
    return CubinCache.key(ptx, driver, capability, CompileOptions.DEFAULT);
  }

  @Test
  void givesBackWhatWasWrittenAndLeavesNoOtherFile() throws IOException {
    var cache = new CubinCache(folder.resolve("new"));
    cache.write(KEY, CODE);
    assertArrayEquals(CODE, cache.read(KEY).orElseThrow());
    try (var files = Files.list(folder.resolve("new"))) {
      assertEquals(Set.of(cache.file(KEY)), Set.copyOf(files.toList()));
    }
  }

  @Test
  void hasNothingThatWasNotWritten() {
    assertEquals(Optional.empty(), new CubinCache(folder).read(KEY));
  }

  @Test
  void ignoresAnEntryWithAnyByteChanged() throws IOException {
    var cache = new CubinCache(folder);
    cache.write(KEY, CODE);
    var sound = Files.readAllBytes(cache.file(KEY));
    for (int i = 0; i < sound.length; i++) {
      var damaged = sound.clone();
      damaged[i] ^= 1;
      Files.write(cache.file(KEY), damaged);
      assertTrue(cache.read(KEY).isEmpty(), "byte " + i);
    }
  }

  @Test
  void ignoresAnEntryCutAtAnyLength() throws IOException {
    var cache = new CubinCache(folder);
    cache.write(KEY, CODE);
    var sound = Files.readAllBytes(cache.file(KEY));
    for (int length = 0; length < sound.length; length++) {
      Files.write(cache.file(KEY), Arrays.copyOf(sound, length));
      assertTrue(cache.read(KEY).isEmpty(), "length " + length);
    }
  }

  @Test
  void replacesADamagedEntry() throws IOException {
    var cache = new CubinCache(folder);
    Files.write(cache.file(KEY), new byte[] {9});
    cache.write(KEY, CODE);
    assertArrayEquals(CODE, cache.read(KEY).orElseThrow());
  }

  @Test
  void neitherReadsNorReplacesADevice() throws IOException {
    var cache = new CubinCache(folder);
    Files.createSymbolicLink(cache.file(KEY), Path.of("/dev/zero"));
    assertEquals(Optional.empty(), cache.read(KEY));
    cache.write(KEY, CODE);
    assertTrue(Files.isSymbolicLink(cache.file(KEY)));
  }

  @Test
  void keepsNothingWhereItCannotWrite() throws IOException {
    var file = Files.write(folder.resolve("file"), CODE);
    var cache = new CubinCache(file.resolve("below"));
    cache.write(KEY, CODE);
    assertEquals(Optional.empty(), cache.read(KEY));
  }

  @Test
  void aReaderSeesAWholeEntryWhileOthersWriteIt() throws InterruptedException {
    var cache = new CubinCache(folder);
    cache.write(KEY, CODE);
    var writers = new ArrayList<Thread>();
    for (int writer = 1; writer <= 3; writer++) {
      var code = new byte[50_000 * writer];
      Arrays.fill(code, (byte) writer);
      // A cache of its own each, as processes have; files are all that they share.
      writers.add(Thread.ofPlatform().start(() -> {
        for (int i = 0; i < 50; i++) new CubinCache(folder).write(KEY, code);
      }));
    }
    do {
      var code = cache.read(KEY).orElseThrow();
      assertTrue(code.length == CODE.length || code.length == 50_000 * code[0], code.length + " bytes");
    } while (writers.stream().anyMatch(Thread::isAlive));
    for (var writer : writers) writer.join();
    assertEquals(0, cache.read(KEY).orElseThrow().length % 50_000);
  }

  @Test
  void keysDifferByTextDriverDeviceAndOptions() {
    assertEquals(4, Set.of(KEY, key("ptx ", 13_000, 90), key("ptx", 12_000, 90), key("ptx", 13_000, 100)).size());
    assertEquals(KEY, key("ptx", 13_000, 90));
    assertNotEquals(KEY, CubinCache.key("ptx", 13_000, 90, new CompileOptions(OptionalInt.of(64), false)));
  }

  @Test
  void liesInTheUsersCacheFolder() {
    var home = Path.of("/home/ada");
    assertEquals(Path.of("/cache/tilewright"), CubinCache.userFolder(Map.of("XDG_CACHE_HOME", "/cache"), home));
    assertEquals(Path.of("/home/ada/.cache/tilewright"), CubinCache.userFolder(Map.of(), home));
    assertEquals(Path.of("/home/ada/.cache/tilewright"),
        CubinCache.userFolder(Map.of("XDG_CACHE_HOME", "relative"), home));
  }
}
