package tilewright.cli.tensor;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;

class NpyFileTest {
  private static final float[] VALUES = {1, 2, 3, 4, 5, -6};

  @TempDir
  Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void readsEveryVersionOfTheFormat(int version) throws IOException {
    var npy = read(Npy.file(version, Npy.header("<f4", false, "(2, 3)"), Npy.floats(VALUES)));
    assertEquals(new NpyHeader(NpyType.FLOAT32, false, List.of(2L, 3L)), npy.header());
    assertArrayEquals(VALUES, npy.data().toArray(JAVA_FLOAT));
  }

  @Test
  void turnsBigEndianElementsAround() throws IOException {
    var npy = read(Npy.file(1, Npy.header(">f4", false, "(6,)"), Npy.floats(ByteOrder.BIG_ENDIAN, VALUES)));
    assertArrayEquals(VALUES, npy.data().toArray(JAVA_FLOAT));
  }

  @Test
  void readsWhatOldWritersWrote() throws IOException {
    // Python 2 wrote long integers with an L and other writers order and space the keys freely, without padding.
    var header = "{ \"shape\":(2L,3L) ,'fortran_order':True,'descr':'<f4'}";
    var npy = read(Npy.file(1, header, Npy.floats(VALUES)));
    assertEquals(new NpyHeader(NpyType.FLOAT32, true, List.of(2L, 3L)), npy.header());
    assertArrayEquals(VALUES, npy.data().toArray(JAVA_FLOAT));
  }

  @Test
  void readsArraysWithoutElements() throws IOException {
    assertEquals(0, read(Npy.file(1, Npy.header("<f8", false, "(0, 7)"), new byte[0])).data().byteSize());
  }

  @Test
  void writesWhatNumPyWouldWrite() throws IOException {
    var file = folder.resolve("c.npy");
    values(2L, 3L).write(file);
    var bytes = Files.readAllBytes(file);
    assertEquals(0, (bytes.length - 24) % 64, "the data begins at a multiple of 64");
    var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    assertArrayEquals(Npy.file(1, header + " ".repeat(117 - header.length()) + "\n", Npy.floats(VALUES)), bytes);
  }

  @Test
  void leavesNothingButTheFileBehind() throws IOException {
    var file = folder.resolve("c.npy");
    Files.writeString(file, "old");
    values(6L).write(file);
    try (var files = Files.list(folder)) {
      assertEquals(List.of(file), files.toList());
    }
    assertTrue(Files.size(file) > 3);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      {'descr': '<i8', 'fortran_order': False, 'shape': (2, 3)} | element type is '<i8'; needed is f2, f4 or f8
      {'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)} | 'descr' is [[x, <f4]]; needed is one plain element
      {'descr': '<f4', 'shape': (2, 3)} | lacks 'fortran_order'
      {'descr': '<f4', 'fortran_order': 1, 'shape': (2, 3)} | 'fortran_order' is 1; needed is True or False
      {'descr': '<f4', 'fortran_order': False, 'shape': 6} | 'shape' is 6; needed is a tuple of integers
      {'descr': '<f4', 'fortran_order': False, 'shape': (-1, 3)} | extent -1; needed are integers from 0 on
      {'descr': '<f4', 'fortran_order': False, 'shape': (2, 30)} | promises 240 bytes of data (2×30 of 4 bytes each)
      {'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999)} | more than any memory holds
      import os | not a Python dictionary: unexpected 'import os?'
      {'descr': '<f4', 'fortran_order': False, 'shape': (((((((((((((((((((1 | not a Python dictionary
      """)
  void saysWhatIsWrongWithAHeader(String header, String complaint) {
    assertComplaint(complaint, Npy.file(1, header + "\n", Npy.floats(VALUES)));
  }

  @Test
  void saysWhatIsWrongWithTheFile() {
    assertComplaint("not a .npy file", "PK\3\4 but long enough".getBytes(StandardCharsets.ISO_8859_1));
    assertComplaint("is truncated: it ends after 0 bytes", new byte[0]);
    assertComplaint("version 4; needed is 1, 2 or 3",
        Npy.file(4, Npy.header("<f4", false, "(6,)"), Npy.floats(VALUES)));
    assertComplaint("no such file", folder.resolve("missing.npy"));
    assertComplaint("is a folder", folder);
  }

  @Test
  void refusesToWriteIntoAMissingFolder() {
    var file = folder.resolve("missing").resolve("c.npy");
    var failure = assertThrows(CommandFailure.class, () -> values(6L).write(file));
    assertEquals(Exit.BAD_INPUT, failure.exitCode());
    assertTrue(failure.getMessage().contains("does not exist"), failure.getMessage());
  }

  private static NpyFile values(Long... shape) {
    var header = new NpyHeader(NpyType.FLOAT32, false, List.of(shape));
    return new NpyFile(header, MemorySegment.ofArray(Npy.floats(VALUES)));
  }

  private NpyFile read(byte[] bytes) throws IOException {
    return NpyFile.read(Files.write(folder.resolve("a.npy"), bytes), Arena.ofAuto());
  }

  private void assertComplaint(String complaint, byte[] bytes) {
    try {
      assertComplaint(complaint, Files.write(folder.resolve("bad.npy"), bytes));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertComplaint(String complaint, Path file) {
    var failure = assertThrows(CommandFailure.class, () -> NpyFile.read(file, Arena.ofAuto()));
    assertEquals(Exit.BAD_INPUT, failure.exitCode());
    assertTrue(failure.getMessage().contains(complaint), failure.getMessage());
    assertTrue(failure.getMessage().startsWith(file.toString()), failure.getMessage());
    assertEquals(1, failure.getMessage().lines().count(), "one line");
  }
}
