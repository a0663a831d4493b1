package tilewright.cli;

import picocli.CommandLine.IVersionProvider;

/** Tilewright's version as its jar states it, and the Java that runs it. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    var version = Version.class.getPackage().getImplementationVersion();
    return new String[] {"tilewright " + (version == null ? "(not packaged)" : version) + ", Java " + Runtime.version()};
  }
}
