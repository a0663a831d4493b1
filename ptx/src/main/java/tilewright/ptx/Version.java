package tilewright.ptx;

/** A PTX ISA version; 8.10 is later than 8.9. */
record Version(int major, int minor) implements Comparable<Version> {

  static Version parse(String text) {
    var parts = text.split("\\.");
    return new Version(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
  }

  @Override
  public int compareTo(Version other) {
    return major != other.major ? Integer.compare(major, other.major)
        : Integer.compare(minor, other.minor);
  }
}
