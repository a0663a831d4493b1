package tilewright.device.cubin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.device.FakeDriver;
import tilewright.device.Ptx;

class SharedDeclarationsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      .extern .shared .align 1024 .b8 pool[];                           | false | true
      .extern .shared .b8 pool[];                                       | false | false
      .shared .align 4 .b8 tile[64];                                    | true  | false
      .visible .shared .b32 one;                                        | true  | false
      .extern  .shared  .align 16 .b8 p[]; { .shared .f32 x; }          | true  | true
      .entry k(.param .u64 .ptr .shared .align 16 p) { }                | false | false
      ld.shared.u32 %r1, [%r2]; cp.async.bulk.global.shared::cta [a];   | false | false
      // .shared .b32 one;                                              | false | false
      /* .shared .b32 one; */ .extern .shared .align 8 .b8 p[];         | false | true
      """)
  void tellsStaticFromDynamicSharedMemory(String ptx, boolean fixed, boolean dynamic) {
    assertEquals(new SharedDeclarations(fixed, dynamic), SharedDeclarations.of(ptx));
  }

  @Test
  void aTextWithBothIsLoadedAsItIs() {
    var driver = new FakeDriver(1);
    try (var gpu = driver.open(new CubinCache(folder))) {
      gpu.load(Ptx.ALIGNED_SHARED);
      gpu.load(Ptx.DYNAMIC_SHARED);
    }
    assertEquals(List.of(Ptx.ALIGNED_SHARED, "machine code"), driver.loaded);
  }
}
