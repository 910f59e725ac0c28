{
  description = "Find the speculative-decoding configuration that is really fastest on a GPU host, and prove it";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-26.05";

  outputs =
    { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;

      # For no other system are there kernels of SGLang's.
      forEachSystem = f: lib.genAttrs [ "x86_64-linux" ] (system: f nixpkgs.legacyPackages.${system});

      built = [
        "engine-cu12"
        "engine-cu13"
        "workflow"
        "workflow-dev"
      ];
      # On purpose: Nix's pip asks no index with engine-cpu's torch. The rule `env` builds it, by pip.
      leftOut = [ "engine-cpu" ];

      # An environment is a folder of envs/. Its requirements.lock is the pin, for pip and for Nix alike;
      # wheelhouse.json, which `make lock` writes, is what Nix must know before it downloads: a hash of the
      # wheels, and a hash of each file that they follow from, so that no old wheels pass for new ones.
      mkWheelhouse =
        pkgs: name:
        let
          folder = ./envs + "/${name}";
          wheelhouse = lib.importJSON (folder + "/wheelhouse.json");
          files = removeAttrs (builtins.readDir folder) [ "wheelhouse.json" ];
          found = lib.mapAttrs (file: _: builtins.hashFile "sha256" (folder + "/${file}")) files;
        in
        assert lib.assertMsg (
          found == wheelhouse.files
        ) "envs/${name}: not the files that its wheelhouse.json is of; run `sweetspot lock ${name}`";
        pkgs.runCommand "${name}-wheelhouse"
          {
            nativeBuildInputs = [
              pkgs.python312Packages.pip
              pkgs.cacert
            ];
            outputHashMode = "recursive";
            outputHashAlgo = "sha256";
            outputHash = wheelhouse.hash;
            impureEnvVars = lib.fetchers.proxyImpureEnvVars ++ [
              "PIP_EXTRA_INDEX_URL"
              "PIP_FIND_LINKS"
              "PIP_INDEX_URL"
            ];
          }
          ''
            pip download --quiet --no-deps --require-hashes --only-binary=:all: --no-cache-dir \
              --dest $out --requirement ${folder + "/requirements.lock"}
          '';

      # All wheels in one site-packages, where they find each other's libraries as their makers meant them
      # to. Other libraries come from nixpkgs, the driver's from the machine.
      mkEnvironment =
        pkgs: name:
        pkgs.stdenv.mkDerivation {
          inherit name;
          dontUnpack = true;
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
          installPhase = ''
            runHook preInstall
            unset PYTHONPATH
            ${pkgs.python312.interpreter} -m venv --without-pip $out
            pip --python $out/bin/python install --quiet --no-deps --require-hashes --no-cache-dir \
              --no-index --find-links ${mkWheelhouse pkgs name} \
              --requirement ${./envs + "/${name}/requirements.lock"}
            runHook postInstall
          '';

          # Libraries stay as they were published, but for where they look for others.
          dontStrip = true;
          dontPatchELF = true;
          dontAutoPatchelf = true;
          autoPatchelfIgnoreMissingDeps = [
            "libav*.so.*" # FFmpeg, for torchcodec
            "libsw*.so.*"
            "libcuda.so.1" # the driver
            "libcudart.so.*" # torch-memory-saver's build for the other CUDA
            "libfabric.so.*" # NVSHMEM and cuFile, between hosts
            "libibverbs.so.*"
            "libmlx5.so.*"
            "libmpi.so.*"
            "liboshmem.so.*"
            "libpmix.so.*"
            "librdmacm.so.*"
            "libucp.so.*"
            "libucs.so.*"
          ];
          appendRunpaths = [ "${pkgs.addDriverRunpath.driverLink}/lib" ];
          # autoPatchelf drops the paths relative to $ORIGIN, by which libraries are also opened by name and
          # which decide where two wheels bring the same file: they go back in front.
          postFixup = ''
            declare -A origin
            while read -r file; do
              origin[$file]=$(patchelf --print-rpath "$file" 2>/dev/null | tr : '\n' | grep '^$ORIGIN' | paste -sd:) || true
            done < <(find $out -type f \( -name '*.so*' -o -perm -100 \))
            autoPatchelf $out
            for file in "''${!origin[@]}"; do
              [ -z "''${origin[$file]}" ] ||
                patchelf --set-rpath "''${origin[$file]}:$(patchelf --print-rpath "$file")" "$file"
            done
          '';
        };

      mkEnvironments =
        pkgs:
        assert lib.assertMsg (
          builtins.attrNames (builtins.readDir ./envs) == builtins.sort builtins.lessThan (built ++ leftOut)
        ) "envs/: other folders than flake.nix names; add them to `built`, or to `leftOut`";
        lib.genAttrs built (mkEnvironment pkgs);

      # What the rule `env` looks for before it builds an engine itself: ENV_ENGINE_CU13 and its like.
      engineVariables =
        pkgs: environments:
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
          # Triton asks ldconfig where the driver is, which NixOS does not have.
          TRITON_LIBCUDA_PATH = "${pkgs.addDriverRunpath.driverLink}/lib";
        };

      # The project is not installed: its code is that of the checkout in which everything starts.
      mkSweetspot =
        pkgs: environment:
        pkgs.writeShellScriptBin "sweetspot" ''
          exec ${environment}/bin/python -c 'import sys; from sweetspot.cli import main; sys.exit(main())' "$@"
        '';
      useCheckout = "export PYTHONPATH=$PWD";

      mkCheck =
        pkgs: name: environment: script:
        pkgs.runCommand name
          {
            nativeBuildInputs = [
              environment
              (mkSweetspot pkgs environment)
            ];
          }
          ''
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
      packages = forEachSystem (
        pkgs:
        let
          environments = mkEnvironments pkgs;
        in
        environments // { default = environments.workflow; }
      );

      apps = forEachSystem (
        pkgs:
        let
          environments = mkEnvironments pkgs;
        in
        {
          default = {
            type = "app";
            program = lib.getExe (
              pkgs.writeShellApplication {
                name = "snakemake-all";
                runtimeInputs = [
                  environments.workflow
                  (mkSweetspot pkgs environments.workflow)
                  pkgs.stdenv.cc # for kernels that SGLang compiles when it starts
                ];
                runtimeEnv = engineVariables pkgs environments;
                text = ''
                  ${useCheckout}
                  exec snakemake --cores 1 "''${@:-all}"
                '';
              }
            );
            meta.description = "Measure the study of config.yaml and render it, in the current checkout";
          };
        }
      );

      devShells = forEachSystem (
        pkgs:
        let
          environments = mkEnvironments pkgs;
        in
        {
          # to work on the project; no engine is downloaded
          default = pkgs.mkShell {
            packages = [
              environments.workflow-dev
              (mkSweetspot pkgs environments.workflow-dev)
            ];
            shellHook = useCheckout;
          };

          # to measure
          engines = pkgs.mkShell {
            packages = [
              environments.workflow
              (mkSweetspot pkgs environments.workflow)
            ];
            env = engineVariables pkgs environments;
            shellHook = useCheckout;
          };
        }
      );

      checks = forEachSystem (
        pkgs:
        let
          environments = mkEnvironments pkgs;
        in
        {
          tests = mkCheck pkgs "tests" environments.workflow-dev ''
            pytest -m 'not (engine or workflow or server or simulation or browser or network)'
          '';
          lint = mkCheck pkgs "lint" environments.workflow-dev ''
            ruff check .
            ruff format --check .
            snakefmt --check Snakefile rules
            mypy
          '';
          dry-run = mkCheck pkgs "dry-run" environments.workflow "snakemake --cores 1 --dry-run all";
        }
      );

      formatter = forEachSystem (pkgs: pkgs.nixfmt-tree);
    };
}
