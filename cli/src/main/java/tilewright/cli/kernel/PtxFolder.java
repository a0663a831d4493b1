package tilewright.cli.kernel;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import tilewright.cli.io.AtomicFolder;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;
import tilewright.cli.io.SourceCommit;
import tilewright.verification.KernelConfiguration;
import tilewright.verification.TracedKernel;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A folder with the PTX of every kernel in every configuration: a file for each text that occurs, compressed and named
 * by its hash, and an index.
 */
record PtxFolder(Path folder, PtxFolder.Index index) {
  private static final String INDEX = "index.json";
  private static final String FORMAT = "tilewright ptx 1";
  private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
  /** A text of this many bytes is no kernel's. */
  private static final int LONGEST = 64 << 20;

  /** @param commit of the sources that the kernels were traced from */
  record Index(String format, String commit, List<Entry> configurations) {
    /** Jackson puts null in the place of what a file lacks. */
    private boolean isSound() {
      return FORMAT.equals(format) && commit != null && configurations != null
          && configurations.stream().allMatch(entry -> entry != null && entry.isSound());
    }
  }

  /** @param ptx the hash of the configuration's text */
  record Entry(String kernel, String config, String ptx) {
    private boolean isSound() {
      return kernel != null && config != null && ptx != null && HASH.matcher(ptx).matches();
    }
  }

  /** @param refused configurations that their kernel refuses */
  record Written(String folder, int configurations, int texts, int refused, long bytes) {
    String text() {
      return "%s: %d configurations, %d of them refused, %d distinct texts, %.1f MiB".formatted(folder, configurations,
          refused, texts, bytes / 1048576.0);
    }
  }

  /** Traces the kernels into a folder, which is there whole or not at all. */
  static Written write(Path folder, EveryConfiguration configurations) {
    var entries = new ArrayList<Entry>();
    AtomicFolder.replace(folder, PtxFolder::isOne, "a folder of ptx --all",
        part -> fill(part, configurations, entries));
    var texts = new HashSet<String>();
    entries.forEach(entry -> texts.add(entry.ptx));
    long refused = entries.stream().filter(entry -> entry.ptx.equals(hash(KernelConfiguration.REFUSED))).count();
    return new Written(folder.toString(), entries.size(), texts.size(), (int) refused, size(folder));
  }

  private static void fill(Path part, EveryConfiguration configurations, List<Entry> entries) throws IOException {
    var texts = new HashSet<String>();
    try {
      configurations.trace(traced -> {
        var entry = entry(traced);
        entries.add(entry);
        if (texts.add(entry.ptx)) store(file(part, entry.ptx), traced.ptx());
      });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    entries.sort(Comparator.comparing(Entry::kernel).thenComparing(Entry::config).thenComparing(Entry::ptx));
    var index = new Index(FORMAT, SourceCommit.find(), entries);
    Files.writeString(part.resolve(INDEX), JsonMapper.shared().writeValueAsString(index) + "\n");
  }

  static Entry entry(TracedKernel traced) {
    return new Entry(traced.kernel(), traced.config(), hash(traced.ptx()));
  }

  private static void store(Path file, String text) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      Files.write(file, bytes.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOne(Path folder) {
    try {
      read(folder);
      return true;
    } catch (CommandFailure _) {
      return false;
    }
  }

  /** @throws CommandFailure if {@link #write} has not made the folder */
  static PtxFolder read(Path folder) {
    var file = folder.resolve(INDEX);
    if (!Files.isDirectory(folder)) {
      throw CommandFailure.badFile(folder, "is no folder; needed is one that ptx --all --out wrote");
    }
    if (!Files.isRegularFile(file)) {
      throw CommandFailure.badFile(folder, "has no " + INDEX + ": it is not one that ptx --all --out wrote");
    }
    try {
      var index = JsonMapper.shared().readValue(InputFile.bytes(file), Index.class);
      if (index != null && index.isSound()) return new PtxFolder(folder, index);
      throw CommandFailure.badFile(file, "is not of the format \"" + FORMAT + "\"");
    } catch (JacksonException e) {
      throw CommandFailure.badFile(file, "is no index of ptx --all --out: " + e.getOriginalMessage());
    }
  }

  /** @throws CommandFailure if the file of a hash is missing, or is not what was written */
  String text(String hash) {
    var file = file(folder, hash);
    try (var in = new GZIPInputStream(new ByteArrayInputStream(InputFile.bytes(file)))) {
      var text = new String(in.readNBytes(LONGEST), StandardCharsets.UTF_8);
      if (hash(text).equals(hash)) return text;
      throw CommandFailure.badFile(file, "is not what ptx --all --out wrote");
    } catch (IOException e) {
      throw CommandFailure.badFile(file, "cannot be read: " + InputFile.reason(e));
    }
  }

  private static Path file(Path folder, String hash) {
    return folder.resolve(hash + ".ptx.gz");
  }

  static String hash(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static long size(Path folder) {
    try (var files = Files.list(folder)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw CommandFailure.badFile(folder, "cannot be read: " + InputFile.reason(e));
    }
  }
}
