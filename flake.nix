{
  description = "Find the speculative-decoding configuration that is really fastest on a GPU host, and prove it";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      system = "x86_64-linux"; # for no other are there kernels of SGLang's
      pkgs = nixpkgs.legacyPackages.${system};
      driver = "${pkgs.addDriverRunpath.driverLink}/lib";

      built = [
        "engine-cu12"
        "engine-cu13"
        "workflow"
        "workflow-dev"
      ];
      # On purpose: Nix's pip asks no index with engine-cpu's torch. The rule `env` builds it, by pip.
      leftOut = [ "engine-cpu" ];

      # An environment is a folder of envs/. Its requirements.lock is the pin, for pip and for Nix alike.
      pip =
        name: command: options:
        let
          lock = ./envs + "/${name}/requirements.lock";
        in
        "pip ${command} ${options} --no-deps --require-hashes --no-cache-dir --quiet --requirement ${lock}";

      # wheelhouse.json, which `make lock` writes, is what Nix must know before it downloads: a hash of the
      # wheels, and a hash of each file that they follow from, so that no old wheels pass for new ones.
      mkWheelhouse =
        name:
        let
          folder = ./envs + "/${name}";
          wheelhouse = lib.importJSON (folder + "/wheelhouse.json");
          files = removeAttrs (builtins.readDir folder) [ "wheelhouse.json" ];
          found = builtins.mapAttrs (file: _: builtins.hashFile "sha256" (folder + "/${file}")) files;
          fromOutside = [
            "PIP_EXTRA_INDEX_URL"
            "PIP_FIND_LINKS"
            "PIP_INDEX_URL"
          ];
        in
        assert lib.assertMsg (
          found == wheelhouse.files
        ) "envs/${name}: not the files that its wheelhouse.json is of; run `sweetspot lock ${name}`";
        pkgs.runCommand "${name}-wheelhouse"
          {
            outputHash = wheelhouse.hash;
            outputHashMode = "recursive";
            impureEnvVars = fromOutside ++ lib.fetchers.proxyImpureEnvVars;
            nativeBuildInputs = [
              pkgs.cacert
              pkgs.python312Packages.pip
            ];
          }
          (pip name "download" "--only-binary=:all: --dest $out");

      # All wheels in one site-packages, where they find each other's libraries as their makers meant them
      # to. Other libraries come from nixpkgs, the driver's from the machine.
      mkEnvironment =
        name:
        pkgs.stdenv.mkDerivation {
          inherit name;
          nativeBuildInputs = [
            pkgs.autoPatchelfHook
            pkgs.python312Packages.pip
          ];
          buildInputs = [
            pkgs.numactl
            pkgs.python312
            pkgs.stdenv.cc.cc.lib
            pkgs.zlib
          ];

          dontUnpack = true;
          installPhase = ''
            runHook preInstall
            unset PYTHONPATH # of the build's own pip
            ${pkgs.python312.interpreter} -m venv --without-pip $out
            ${pip name "--python $out/bin/python install" "--no-index --find-links ${mkWheelhouse name}"}
            runHook postInstall
          '';

          # Libraries stay as they were published, but for where they look for others: autoPatchelf writes
          # there what they are linked with, and drops what is relative to the library itself. By that they
          # also open others by name, and it decides where two wheels bring the same file: it goes back in
          # front.
          dontStrip = true;
          dontPatchELF = true;
          dontAutoPatchelf = true;
          postFixup = ''
            searched() { patchelf --print-rpath "$1" 2>/dev/null; }
            relative=$(mktemp)
            find $out -type f '(' -name '*.so*' -or -perm -u+x ')' -print0 |
              while IFS= read -r -d "" library; do
                places=$(searched "$library" | sed 's/:/\n/g' | sed -n '/^$ORIGIN/p') || continue # a script
                [ ! "$places" ] || printf '%s\0%s\0' "$library" "''${places//$'\n'/:}"
              done >$relative
            autoPatchelf $out
            while IFS= read -r -d "" library && IFS= read -r -d "" places; do
              patchelf --set-rpath "$places:$(searched "$library")" "$library"
            done <$relative
          '';
          appendRunpaths = [ driver ];
          # what is for another kind of machine, or is the machine's own
          autoPatchelfIgnoreMissingDeps = [
            "libav*.so.*" # torchcodec: FFmpeg
            "libsw*.so.*"
            "libcuda.so.1" # of the driver
            "libcudart.so.*" # torch-memory-saver: the CUDA that is not this environment's
            "libfabric.so.*" # NVSHMEM, cuFile: from host to host
            "libibverbs.so.*"
            "libmlx5.so.*"
            "libmpi.so.*"
            "liboshmem.so.*"
            "libpmix.so.*"
            "librdmacm.so.*"
            "libucp.so.*"
            "libucs.so.*"
          ];
        };

      environments =
        assert lib.assertMsg (
          builtins.attrNames (builtins.readDir ./envs) == builtins.sort builtins.lessThan (built ++ leftOut)
        ) "envs/: other folders than flake.nix names; add them to `built`, or to `leftOut`";
        lib.genAttrs built mkEnvironment;

      # What the rule `env` looks for before it builds an engine itself: ENV_ENGINE_CU13 and its like.
      engineVariables =
        let
          variable = name: "ENV_" + lib.toUpper (builtins.replaceStrings [ "-" ] [ "_" ] name);
          engines = builtins.filter (lib.hasPrefix "engine-") built;
        in
        builtins.listToAttrs (
          map (name: {
            name = variable name;
            value = "${environments.${name}}";
          }) engines
        )
        // {
          TRITON_LIBCUDA_PATH = driver; # or Triton asks ldconfig, which NixOS lacks
        };

      # The environment and a `sweetspot` that runs in it. The project is not installed: its code is that of
      # the checkout in which everything starts.
      withSweetspot = environment: [
        environment
        (pkgs.writeShellScriptBin "sweetspot" ''
          exec ${environment}/bin/python -c 'import sys; from sweetspot.cli import main; sys.exit(main())' "$@"
        '')
      ];
      useCheckout = "export PYTHONPATH=$PWD";

      mkCheck =
        name: environment: script:
        pkgs.runCommand name { nativeBuildInputs = withSweetspot environment; } ''
          cp -r ${self} checkout
          chmod -R u+w checkout
          cd checkout
          export HOME=$TMPDIR
          ${useCheckout}
          ${script}
          touch $out
        '';
    in
    {
      packages.${system} = environments // {
        default = environments.workflow;
      };

      apps.${system}.default = {
        type = "app";
        meta.description = "Measure the study of config.yaml and render it, in the current checkout";
        program = lib.getExe (
          pkgs.writeShellApplication {
            name = "snakemake-all";
            runtimeEnv = engineVariables;
            runtimeInputs = withSweetspot environments.workflow ++ [
              pkgs.stdenv.cc # for kernels that SGLang compiles when it starts
            ];
            text = ''
              ${useCheckout}
              exec snakemake --cores 1 "''${@:-all}"
            '';
          }
        );
      };

      devShells.${system} = {
        # to work on the project; no engine is downloaded
        default = pkgs.mkShell {
          packages = withSweetspot environments.workflow-dev;
          shellHook = useCheckout;
        };

        # to measure
        engines = pkgs.mkShell {
          packages = withSweetspot environments.workflow;
          env = engineVariables;
          shellHook = useCheckout;
        };
      };

      checks.${system} = {
        tests = mkCheck "tests" environments.workflow-dev ''
          pytest -m 'not (engine or workflow or server or simulation or browser or network)'
        '';
        lint = mkCheck "lint" environments.workflow-dev ''
          ruff check .
          ruff format --check .
          snakefmt --check Snakefile rules
          mypy
        '';
        dry-run = mkCheck "dry-run" environments.workflow "snakemake --cores 1 --dry-run all";
      };

      formatter.${system} = pkgs.nixfmt-tree;
    };
}
