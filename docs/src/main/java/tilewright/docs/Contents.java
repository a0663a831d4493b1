package tilewright.docs;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tilewright.docs.html.Navigation;
import tilewright.docs.html.Page;
import tilewright.docs.source.BrokenSiteException;

/** The table of contents: every page belongs to exactly one group, in reading order; the landing page to none. */
final class Contents {
  static final String LANDING = "index";
  /** The group whose pages lead to each other at their feet. */
  private static final String PATH = "Learn";

  private static final List<Group> GROUPS = List.of(
      new Group(PATH, "why", "learn-layout", "learn-kernel", "learn-gemm", "learn-barrier",
          "learn-hopper", "learn-export", "gemm-to-gpu", "ladder", "blackwell-ladder"),
      new Group("How-to", "playground", "verification", "simulator", "cuda-programs", "triton", "gpu-lab", "pytorch",
          "pytorch-products", "several-gpus", "examples", "profiling"),
      new Group("Reference", "command-line", "command-line-layout", "kernel-language", "java-api", "layout-operations",
          "layout-expressions", "catalogue", "learn-notes", "glossary", "limits", "trust"),
      new Group("Internals", "hopper-gemm", "hopper-types", "blackwell-gemm", "blackwell-pairs", "blackwell-scales",
          "attention", "flex-attention", "hopper-attention", "attention-fp8", "blackwell-attention",
          "attention-backward", "budget", "morphisms", "asynchrony", "tensor-cores", "tensor-memory",
          "simulator-speed"),
      new Group("Records", "golden", "proofs", "records-gemm", "records-gemm-types",
          "records-gemm-sm80", "records-attention", "records-memory", "records-catalogue", "records-budget",
          "records-simulator", "records-verify", "decisions"));

  /** @param pages names of {@code docs/src/site/NAME.adoc} */
  private record Group(String title, List<String> pages) {
    Group(String title, String... pages) {
      this(title, List.of(pages));
    }
  }

  private Contents() {}

  /** The names of all pages, the landing page first. */
  static List<String> names() {
    var names = new ArrayList<>(List.of(LANDING));
    GROUPS.forEach(group -> names.addAll(group.pages()));
    if (new HashSet<>(names).size() < names.size()) {
      throw new BrokenSiteException(List.of("a page stands twice in the table of contents: " + names));
    }
    return names;
  }

  /** The groups with links to their pages; pages of a folder are folded under the page of the folder's name. */
  static Navigation navigation(List<Page> pages) {
    var byPath = new LinkedHashMap<String, Page>();
    pages.forEach(page -> byPath.put(page.path(), page));
    return new Navigation(GROUPS.stream().map(group -> new Navigation.Group(group.title(), group.title().equals(PATH),
        group.pages().stream().map(name -> link(byPath, name)).toList())).toList());
  }

  private static Navigation.Link link(Map<String, Page> byPath, String name) {
    return Navigation.Link.to(byPath.get(name + ".html"), byPath.values().stream()
        .filter(page -> page.path().startsWith(name + "/")).map(page -> Navigation.Link.to(page, List.of())).toList());
  }
}
