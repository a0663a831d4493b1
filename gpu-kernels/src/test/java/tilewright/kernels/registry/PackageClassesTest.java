package tilewright.kernels.registry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.module.ModuleFinder;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The classes of a small package, in every form that a program has. */
class PackageClassesTest {
  /** Names with what has a meaning in addresses. */
  @TempDir
  Path folder;

  private Path classes;

  @BeforeEach
  void compile() throws IOException {
    var sources = Map.of("module-info", "module toys { exports toys; }",
        "toys/package-info", "/** Toys. */ @Deprecated package toys;",
        "toys/One", "package toys; public class One { class Inside {} }",
        "toys/Two", "package toys; class Two { static { if (true) throw new AssertionError(); } }",
        "toys/small/Three", "package toys.small; class Three {}",
        "toysAndMore/Four", "package toysAndMore; class Four {}");
    var written = folder.resolve("sources");
    for (var source : sources.entrySet()) {
      var file = written.resolve(source.getKey() + ".java");
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
    }
    classes = folder.resolve("50% of + a b#");
    run("javac", Stream.concat(Stream.of("-proc:none", "-d", classes.toString()), sources.keySet().stream()
        .map(name -> written.resolve(name + ".java").toString())));
  }

  private static void run(String tool, Stream<String> arguments) {
    var found = ToolProvider.findFirst(tool).orElseThrow();
    assertEquals(0, found.run(System.out, System.err, arguments.toArray(String[]::new)));
  }

  private Path jar() {
    var jar = folder.resolve("50% of + a b#.jar");
    run("jar", Stream.of("--create", "--file", jar.toString(), "-C", classes.toString(), "."));
    return jar;
  }

  @Test
  void areFoundInAFolderOfTheClassPath() throws Exception {
    try (var loader = loader(classes)) {
      assertToysBeside(loader.loadClass("toys.One"), "file");
    }
  }

  @Test
  void areFoundInAJarOfTheClassPath() throws Exception {
    try (var loader = loader(jar())) {
      assertToysBeside(loader.loadClass("toys.One"), "jar");
    }
  }

  @Test
  void areFoundInAFolderOfTheModulePath() throws Exception {
    assertToysBeside(ofModule(classes), "file");
  }

  @Test
  void areFoundInAJarOfTheModulePath() throws Exception {
    assertToysBeside(ofModule(jar()), "jar");
  }

  /** The runtime's own, as its module's reader has them. */
  @Test
  void areFoundInARuntimeImage() throws IOException {
    assertEquals("jrt", Function.class.getResource("Function.class").getProtocol());
    try (var base = ModuleFinder.ofSystem().find("java.base").orElseThrow().open()) {
      var files = base.list().filter(f -> f.startsWith("java/util/function/") && f.endsWith(".class")).sorted()
          .map(f -> f.replace('/', '.').replace(".class", "")).toList();
      assertTrue(files.contains("java.util.function.IntPredicate"));
      assertEquals(files, names(Function.class));
    }
  }

  @Test
  void oneThatCannotBeLoadedIsNamed() throws Exception {
    Files.writeString(classes.resolve("toys/Broken.class"), "no class");
    try (var loader = loader(classes)) {
      var one = loader.loadClass("toys.One");
      var failure = assertThrows(IllegalStateException.class, () -> PackageClasses.beside(one));
      assertTrue(failure.getMessage().startsWith("cannot load toys.Broken, found beside toys.One: "),
          failure.getMessage());
    }
  }

  private static URLClassLoader loader(Path path) throws IOException {
    return new URLClassLoader(new URL[] {path.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
  }

  private static Class<?> ofModule(Path path) throws ClassNotFoundException {
    var boot = ModuleLayer.boot();
    var toys = boot.configuration().resolve(ModuleFinder.of(path), ModuleFinder.of(), Set.of("toys"));
    var one = boot.defineModulesWithOneLoader(toys, ClassLoader.getPlatformClassLoader()).findLoader("toys")
        .loadClass("toys.One");
    assertEquals("toys", one.getModule().getName());
    return one;
  }

  private static void assertToysBeside(Class<?> one, String form) {
    assertEquals(form, one.getResource("One.class").getProtocol());
    assertEquals(List.of("toys.One", "toys.Two"), names(one));
    assertFalse(PackageClasses.beside(one).stream().anyMatch(found -> found.getClassLoader() != one.getClassLoader()));
  }

  private static List<String> names(Class<?> one) {
    return PackageClasses.beside(one).stream().map(Class::getName).toList();
  }
}
