package tilewright.cli.wheel;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A Python wheel (PEP 427): a zip file whose bytes depend on nothing but its contents.
 *
 * @param name of the distribution
 * @param version as PEP 440 has it
 * @param files contents by path
 */
record Wheel(String name, String version, String summary, Map<String, byte[]> files) {
  /** The earliest time that a zip file can tell. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);
  private static final String TAG = "py3-none-any";

  Wheel {
    files = new TreeMap<>(files);
  }

  /** Turns a version of Maven's into one that PEP 440 accepts: a snapshot is a development release. */
  static String version(String ofMaven) {
    return ofMaven.replaceFirst("-SNAPSHOT$", ".dev0");
  }

  /** The name that pip expects. */
  String fileName() {
    return name + "-" + version + "-" + TAG + ".whl";
  }

  /** The bytes of the file. */
  byte[] bytes() {
    var folder = name + "-" + version + ".dist-info/";
    var all = new TreeMap<>(files);
    all.put(folder + "METADATA", text("""
        Metadata-Version: 2.1
        Name: %s
        Version: %s
        Summary: %s
        License: Apache-2.0
        Requires-Python: >=3.9
        Provides-Extra: torch
        Requires-Dist: torch >=2.4; extra == "torch"
        """.formatted(name, version, summary)));
    all.put(folder + "WHEEL", text("""
        Wheel-Version: 1.0
        Generator: tilewright %s
        Root-Is-Purelib: true
        Tag: %s
        """.formatted(version, TAG)));
    var record = new StringBuilder();
    all.forEach((path, content) -> record.append("%s,sha256=%s,%d\n".formatted(path, hash(content), content.length)));
    record.append(folder).append("RECORD,,\n");
    all.put(folder + "RECORD", text(record.toString()));
    return zip(all);
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String hash(byte[] content) {
    try {
      return Base64.getUrlEncoder().withoutPadding().encodeToString(
          MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static byte[] zip(Map<String, byte[]> files) {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      zip.setLevel(Deflater.BEST_COMPRESSION);
      for (var file : files.entrySet()) {
        var entry = new ZipEntry(file.getKey());
        entry.setTimeLocal(TIME);
        if (file.getKey().endsWith(CodeBlocks.SUFFIX)) store(entry, file.getValue());
        zip.putNextEntry(entry);
        zip.write(file.getValue());
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  private static void store(ZipEntry entry, byte[] content) {
    var checksum = new CRC32();
    checksum.update(content);
    entry.setMethod(ZipEntry.STORED);
    entry.setSize(content.length);
    entry.setCrc(checksum.getValue());
  }
}
