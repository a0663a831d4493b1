package tilewright.docs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.docs.Listings;

class ExcerptTest {
  @TempDir
  Path folder;

  @Test
  void aMethodComesWithItsAnnotationsAndWithoutItsIndentation() throws IOException {
    var source = source("""
        class A {
          int x;

          @Override
          public void run() {
            if (x > 0) {
              x--;
            }
          }

          void other() {
          }
        }
        """);
    assertEquals("""
        @Override
        public void run() {
          if (x > 0) {
            x--;
          }
        }
        """, Excerpt.method(source, "void run()"));
  }

  @Test
  void aMethodThatIsGoneIsAFaultThatNamesTheFile() throws IOException {
    var source = source("class A {\n}\n");
    var fault = assertThrows(BrokenSiteException.class, () -> Excerpt.method(source, "void run()"));
    assertTrue(fault.getMessage().contains("A.java") && fault.getMessage().contains("void run()"), fault.getMessage());
  }

  @Test
  void theMainLoopIsTheLongestOneWithoutLineDirectives() {
    var ptx = """
        $loop0:
          add.s32 %r0, %r0, 1;
          @%p0 bra $loop0;
          ret;
        $loop1:
          .loc 1 2 0
          add.s32 %r0, %r0, 1;
          add.s32 %r1, %r1, 1;
          @%p1 bra $loop1;
          ret;
        """;
    assertEquals("""
        $loop1:
          add.s32 %r0, %r0, 1;
          add.s32 %r1, %r1, 1;
          @%p1 bra $loop1;
        """, Excerpt.mainLoop(ptx));
  }

  @Test
  void ptxWithoutALoopHasNoMainLoop() {
    assertThrows(BrokenSiteException.class, () -> Excerpt.mainLoop("  ret;\n"));
  }

  @Test
  void runsOfOneInstructionAreCutToTwo() {
    var run = "add.s32 %r0, %r0, 1;\nadd.s32 %r1, %r1, 1;\n";
    assertEquals(run + "  // … 1 more\nret;\n", Listings.shortened(run + "@%p0 add.s64 %rd0, %rd0, 8;\nret;\n"));
    assertEquals(run + "ret;\n", Listings.shortened(run + "ret;\n"));
  }

  private Path source(String text) throws IOException {
    return Files.writeString(folder.resolve("A.java"), text);
  }
}
