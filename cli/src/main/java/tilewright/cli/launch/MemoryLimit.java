package tilewright.cli.launch;

/**
 * The memory that one launch may take.
 *
 * @param bytes what its buffers and the files that it names may have together
 * @param name who sets the limit, for messages
 */
record MemoryLimit(long bytes, String name) {
  /** The limit where the user has set none. */
  static MemoryLimit ofJava() {
    return new MemoryLimit(Runtime.getRuntime().maxMemory(), "what Java may take");
  }

  /** A limit that the option {@code --limit-memory} sets. */
  static MemoryLimit ofOption(long mebibytes) {
    return new MemoryLimit(mebibytes << 20, "--limit-memory");
  }
}
