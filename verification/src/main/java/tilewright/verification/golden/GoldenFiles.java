package tilewright.verification.golden;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads every {@code *.jsonl} and {@code *.jsonl.gz} below a folder. */
final class GoldenFiles {
  private static final List<String> REQUIRED = List.of("id", "op");

  /**
   * Bytes that the files of a folder may have together when they are unpacked: far more than golden vectors have. What
   * is longer is a mistake, or packed to fill memory.
   */
  private static final long MOST_BYTES = 256L << 20;

  private GoldenFiles() {}

  static List<GoldenRecord> read(Path folder) {
    return read(folder, MOST_BYTES);
  }

  /** @param most bytes that all files may have together when they are unpacked */
  static List<GoldenRecord> read(Path folder, long most) {
    var files = files(folder);
    if (files.isEmpty()) throw new MalformedGoldenException(folder, "no *.jsonl file of golden vectors in it");
    var records = new ArrayList<GoldenRecord>();
    long total = 0;
    for (var file : files) total = read(file, total, most, records);
    return records;
  }

  private static List<Path> files(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new MalformedGoldenException(folder, "not a folder; give one that holds *.jsonl files");
    }
    try (var all = Files.walk(folder)) {
      return all.filter(f -> f.toString().matches(".*\\.jsonl(\\.gz)?")).filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw MalformedGoldenException.unreadable(folder, e);
    } catch (UncheckedIOException e) {
      throw MalformedGoldenException.unreadable(folder, e.getCause());
    }
  }

  /** Adds a file's records and returns the number of bytes unpacked, {@code before} included. */
  private static long read(Path file, long before, long most, List<GoldenRecord> records) {
    try (var lines = new LimitedLines(open(file), before, most);
        var reader = new BufferedReader(new InputStreamReader(lines, StandardCharsets.UTF_8))) {
      int number = 0;
      for (var line = reader.readLine(); line != null; line = reader.readLine()) {
        number++;
        if (!line.isBlank()) records.add(parse(file, number, line));
      }
      return lines.total();
    } catch (IOException e) {
      throw MalformedGoldenException.unreadable(file, e);
    }
  }

  private static InputStream open(Path file) throws IOException {
    var in = Files.newInputStream(file);
    return file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in;
  }

  private static GoldenRecord parse(Path file, int number, String line) {
    try {
      var json = JsonMapper.shared().readTree(line);
      for (var field : REQUIRED) {
        if (!json.path(field).isString()) {
          throw new MalformedGoldenException(file, number, "not a record: no text '" + field + "'");
        }
      }
      return new GoldenRecord(json);
    } catch (JacksonException e) {
      throw new MalformedGoldenException(file, number, "not JSON: " + e.getOriginalMessage());
    }
  }
}
