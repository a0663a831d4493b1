package tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.io.AtomicFile;
import tilewright.cli.io.Exit;
import tilewright.cli.tensor.Npy;

/** Pipes, devices, folders and links where a file is needed. */
class SpecialFileTest {
  private static final Duration LONG = Duration.ofSeconds(20);

  @TempDir
  Path folder;

  @BeforeEach
  void makeInputs() throws IOException {
    Files.write(folder.resolve("a.npy"), Npy.normalHalves(2, 2, 1));
    Files.createDirectory(folder.resolve("dir"));
    pipe("pipe");
  }

  @ParameterizedTest
  @ValueSource(strings = {"run gemm --a @pipe --b @a.npy --out @c.npy", "run gemm --a @a.npy --b @pipe --out @c.npy",
      "run gemm --a @a.npy --b @a.npy --bias @pipe --out @c.npy", "run relu --in X=@pipe --out Y=@y.npy",
      "run attention --q @pipe --k @pipe --v @pipe --out @o.npy",
      "run attention --q @pipe.safetensors:q --k @a.npy --v @a.npy --out @o.npy", "sim @pipe",
      "sim @pipes --json", "budget --compare @pipe", "run gemm --a /dev/zero --b @a.npy --out @c.npy",
      "run gemm --a @dir --b @a.npy --out @c.npy", "budget --compare @dir"})
  void inputsAreRegularFiles(String arguments) throws IOException {
    Files.createDirectory(folder.resolve("pipes"));
    pipe("pipes/launch.json");
    pipe("pipe.safetensors");
    var run = assertTimeoutPreemptively(LONG, () -> Cli.run(expand(arguments)));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out() + run.err());
    assertTrue((run.out() + run.err()).matches("(?s).*(is a pipe or a device|is a folder).*"), run.out() + run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"run gemm --a @a.npy --b @a.npy --out", "layout draw 4:1 --out", "layout atom wgmma --out",
      "run narrow-gemm --a @a.npy --b @a.npy --out", "bench naive_gemm --on sim --size 1 --out",
      "verify vector_add --report", "sim x.json --trace", "sim x.json --profile-page"})
  void outputsReplaceNothingButRegularFiles(String arguments) throws IOException {
    var pipe = pipe("pipe.svg");
    var run = assertTimeoutPreemptively(LONG, () -> Cli.run(expand(arguments + " " + pipe)));
    assertEquals(Exit.BAD_INPUT, run.exitCode(), run.out() + run.err());
    assertTrue(run.err().contains("is a pipe or a device; needed is a regular file or a new name"), run.err());
    assertFalse(Files.isRegularFile(pipe));
    assertTrue(Files.exists(pipe));
  }

  @Test
  void whatIsWrittenToALinkGoesWhereItLeads() throws IOException {
    var target = Files.writeString(folder.resolve("target.txt"), "old");
    var link = Files.createSymbolicLink(folder.resolve("link.txt"), target);
    assertEquals(Exit.OK, Cli.run("layout", "draw", "4:1", "--out", link.toString()).exitCode());
    assertTrue(Files.isSymbolicLink(link));
    assertTrue(Files.readString(target).contains("3"));
    var dangling = Files.createSymbolicLink(folder.resolve("dangling.txt"), folder.resolve("none"));
    assertEquals(Exit.BAD_INPUT, Cli.run("layout", "draw", "4:1", "--out", dangling.toString()).exitCode());
    assertFalse(Files.exists(folder.resolve("none")));
  }

  /** A file that somebody else put where the part of a file is written is replaced, not written through. */
  @Test
  void thePartOfAFileIsNew() throws IOException {
    var victim = Files.writeString(folder.resolve("victim"), "precious");
    var part = folder.resolve(".x.txt." + ProcessHandle.current().pid() + ".part");
    Files.createSymbolicLink(part, victim);
    AtomicFile.write(folder.resolve("x.txt"), "new");
    assertEquals("precious", Files.readString(victim, StandardCharsets.UTF_8));
    assertEquals("new", Files.readString(folder.resolve("x.txt")));
  }

  private String[] expand(String arguments) {
    return arguments.replace("@", folder + "/").split(" ");
  }

  private Path pipe(String name) throws IOException {
    var path = folder.resolve(name);
    try {
      assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).inheritIO().start().waitFor());
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return path;
  }
}
